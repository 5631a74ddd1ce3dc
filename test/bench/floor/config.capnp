# The floor in workerd, with what src/cli/serve/config.capnp gives the Worker.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "floor", worker = .floor),
    (name = "data", disk = (writable = true)),
    (name = "public", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    (name = "private", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "floor")],
  logging = (structuredLogging = true),
);

const floor :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-09",
  globalOutbound = "public",
  durableObjectStorage = (localDisk = "data"),
  durableObjectNamespaces = [(className = "FloorObject", uniqueKey = "floor", enableSql = true)],
  bindings = [
    (name = "RUNS", durableObjectNamespace = "FloorObject"),
    (name = "NETWORK", service = "private"),
    (name = "MODEL_URL", fromEnvironment = "MODEL_URL"),
  ],
);
