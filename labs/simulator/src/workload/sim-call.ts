import type { CallArguments } from '@phaseline/contracts';

/** A call that the model makes. */
export type Call = readonly [name: string, args: Extract<CallArguments, { kind: 'parsed' }>['value']];
