import { checksSpec, guardsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { createRunGuard, type GuardsHost } from './run-guard.js';
import { createRunVerifier, type VerifiersHost } from './run-verifier.js';

/** Creates the pack of the tools that only the system calls, for claims. */
export function createChecksPack(host: VerifiersHost): ToolPack {
  return implementPack(checksSpec, { run_verifier: createRunVerifier(host) });
}

/** Creates the pack of the tool that asks command guards, which only the system calls. */
export function createGuardsPack(host: GuardsHost): ToolPack {
  return implementPack(guardsSpec, { run_guard: createRunGuard(host) });
}
