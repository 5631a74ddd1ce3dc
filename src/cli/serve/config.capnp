# What `yaa serve` runs in workerd. Static: what varies is a flag or the environment (see launch.ts).
using Workerd = import "/workerd/workerd.capnp";
# What the Worker is made of: src/build/bundle.ts writes it.
using Modules = import "modules.capnp";

const config :Workerd.Config = (
  services = [
    (name = "yaa", worker = .yaa),
    (name = "data", disk = (writable = true)),
    # The files of the pages, as bare bytes: src/http/assets.ts gives them types and headers.
    (name = "assets", disk = (writable = false)),
    # A second wall behind src/net/: looks at the address after the name was resolved.
    (name = "public", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    # Only for hosts that the config names: models and MCP servers on loopback, web.allow_private_hosts.
    (name = "private", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "yaa")],
  # MB. What V8 lets young objects fill before it looks at them, and old ones before it first does: by itself it takes 50 MB more for 500 sessions.
  v8Flags = ["--max-semi-space-size=8", "--initial-old-space-size=24"],
  logging = (structuredLogging = true),
);

const yaa :Workerd.Worker = (
  modules = Modules.modules,
  compatibilityDate = "2026-11-09",
  # Without a meaning here, where `globalOutbound` says what is reached: it is set so that one platform runs everywhere.
  # `new_module_registry` compiles a module when it is first imported.
  compatibilityFlags = ["global_fetch_strictly_public", "nodejs_als", "new_module_registry"],
  globalOutbound = "public",
  durableObjectStorage = (localDisk = "data"),
  durableObjectNamespaces = [
    (className = "SessionObject", uniqueKey = "yaa-Session", enableSql = true),
    (className = "DirectoryObject", uniqueKey = "yaa-Directory", enableSql = true),
    (className = "MemoryObject", uniqueKey = "yaa-Memory", enableSql = true),
    (className = "TriggerObject", uniqueKey = "yaa-Trigger", enableSql = true),
    (className = "OutboxObject", uniqueKey = "yaa-Outbox", enableSql = true),
    (className = "AuditObject", uniqueKey = "yaa-Audit", enableSql = true),
    (className = "MetricsObject", uniqueKey = "yaa-Metrics", enableSql = true),
    (className = "McpSessionObject", uniqueKey = "yaa-McpSession", enableSql = true),
  ],
  bindings = [
    (name = "SESSION", durableObjectNamespace = "SessionObject"),
    (name = "DIRECTORY", durableObjectNamespace = "DirectoryObject"),
    (name = "MEMORY", durableObjectNamespace = "MemoryObject"),
    (name = "TRIGGER", durableObjectNamespace = "TriggerObject"),
    (name = "OUTBOX", durableObjectNamespace = "OutboxObject"),
    (name = "ASSETS", service = "assets"),
    (name = "AUDIT", durableObjectNamespace = "AuditObject"),
    (name = "METRICS", durableObjectNamespace = "MetricsObject"),
    (name = "MCP_SESSION", durableObjectNamespace = "McpSessionObject"),
    (name = "PRIVATE_NETWORK", service = "private"),
    (name = "YAA_LOCAL", text = "1"),
    (name = "YAA_CONFIG", fromEnvironment = "YAA_CONFIG"),
    (name = "YAA_SECRETS", fromEnvironment = "YAA_SECRETS"),
    (name = "YAA_API_KEY", fromEnvironment = "YAA_API_KEY"),
    (name = "YAA_SECRET", fromEnvironment = "YAA_SECRET"),
    (name = "YAA_SECRETS_KEY", fromEnvironment = "YAA_SECRETS_KEY"),
    (name = "YAA_SECRETS_KEY_BEFORE", fromEnvironment = "YAA_SECRETS_KEY_BEFORE"),
    (name = "YAA_OLLAMA", fromEnvironment = "YAA_OLLAMA"),
    (name = "YAA_TAKE_UP", fromEnvironment = "YAA_TAKE_UP"),
    (name = "YAA_CONFORMANCE", fromEnvironment = "YAA_CONFORMANCE"),
  ],
);
