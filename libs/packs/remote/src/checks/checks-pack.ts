import { checksSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { createRunVerifier, type VerifiersHost } from './run-verifier.js';

/** Creates the pack of the tools that only the system calls, for claims. */
export function createChecksPack(host: VerifiersHost): ToolPack {
  return implementPack(checksSpec, { run_verifier: createRunVerifier(host) });
}
