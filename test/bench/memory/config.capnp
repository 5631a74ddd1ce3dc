# The memory of users alone, as src/cli/serve/config.capnp has it.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "memory", worker = .memory),
    (name = "data", disk = (writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "memory")],
);

const memory :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-09",
  durableObjectStorage = (localDisk = "data"),
  durableObjectNamespaces = [(className = "MemoryObject", uniqueKey = "bench-Memory", enableSql = true)],
  bindings = [(name = "MEMORY", durableObjectNamespace = "MemoryObject")],
);
