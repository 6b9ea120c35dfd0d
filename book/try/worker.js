// Python in a thread of its own: the page stays alive, and what hangs is ended with it. A classic
// worker made from a Blob: so the page's policy holds here too, and it works from a file. All files
// come by the first message; nothing is fetched.
const start = async (files) => {
  const url = (bytes, type) => URL.createObjectURL(new Blob([bytes], { type }));
  const text = (bytes) => new TextDecoder().decode(bytes);
  self.fetch = ((fetchFirst) => (what, ...rest) =>
    String(what?.url ?? what).endsWith("pyodide.asm.wasm")
      ? Promise.resolve(new Response(files.wasm, { headers: { "content-type": "application/wasm" } }))
      : fetchFirst(what, ...rest))(self.fetch);
  // Pyodide looks whether scripts come by import alone, as in a module worker, which no file can have.
  self.importScripts = () => { throw new TypeError("scripts come by import"); };
  const { loadPyodide } = await import(url(files.pyodide, "text/javascript"));
  // A Blob's address is no base of another address.
  const engine = text(files.engine)
    .replaceAll('new URL("pyodide.asm.wasm",import.meta.url).href', '"pyodide.asm.wasm"')
    .replaceAll('new URL(".",_scriptName).href', '""');
  const python = await loadPyodide({
    indexURL: "http://nowhere.invalid/",
    packageBaseUrl: "http://nowhere.invalid/",
    createPyodideModule: (await import(url(engine, "text/javascript"))).default,
    stdLibURL: url(files.stdlib, "application/zip"),
    lockFileContents: text(files.lock),
    env: { HOME: "/home", LAB_SCALE: "ci", LAB_STATE: "/tmp/lab" },
  });
  python.unpackArchive(files.lab.buffer, "zip", { extractDir: "/lab" });
  for (const name of Object.keys(files)) delete files[name];  // 20 MB
  python.runPython('import os, sys\nos.makedirs("/home", exist_ok=True)\nsys.path.insert(0, "/lab")');
  return python.pyimport("in_page.page").run;
};

onmessage = async ({ data: files }) => {
  try {
    const run = await start(files);
    onmessage = ({ data }) => postMessage(JSON.parse(run(data.code, data.needs)));
    postMessage({ ready: true });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
