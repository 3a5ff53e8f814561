export { runVerifier, type VerifierResult } from './run/run-verifier.js';
export { VerifierFolders } from './setup/verifier-folders.js';
