// Separate from the main entry of the library because it needs Node: the client, which runs in browsers, imports the main entry.
export { coldStorageVariables } from './process/cold-storage-variables.js';
export { buildProgramEnvironment, runProgram, runProgramSync, startProgram } from './process/start-program.js';
export { readProgramMessages, type MessageProgram, type MessageSchema } from './process/read-program-messages.js';
