export { runVerifier, type VerifierHost, type VerifierResult, type VerifierRun } from './run/run-verifier.js';
export { VerifierFolders } from './setup/verifier-folders.js';
