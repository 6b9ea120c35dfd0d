// Runs a Python program by the page's own Python, with a folder of this machine as /host:
// node run.mjs RUNTIME FOLDER PROGRAM
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [runtime, folder, program] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`));
const env = { HOME: "/home", LAB_SCALE: "ci", LAB_STATE: "/tmp/lab" };
const python = await loadPyodide({ env });
python.FS.mkdirTree("/host");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/host");
python.runPython(readFileSync(program, "utf8"));
