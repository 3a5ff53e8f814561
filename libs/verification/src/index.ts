export { runVerifier, type VerifierResult } from './run/run-verifier.js';
export { VerifierFolders } from './setup/verifier-folders.js';
export { runProof, type ProvedResult } from './proof/run-proof.js';
