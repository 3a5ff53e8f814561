// Separate from the main entry of the library because it needs Node: the client, which runs in browsers, imports the main entry.
export { buildProgramEnvironment, runProgram, runProgramSync, startProgram } from './process/start-program.js';
