import { RESULTS_DIRECTORY } from '../../tool-call/stored-result.js';
import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** A claim whose runs have not all ended, or on whose results nothing was decided yet. */
export type OpenClaim = Readonly<PhaseEventData<'ClaimRaised'>>;

/** The claims of a phase that could not be decided at once. */
export interface PhaseClaims {
  /** Number of claims raised so far. */
  readonly raised: number;
  readonly open?: OpenClaim | undefined;
}

export const NO_CLAIMS: PhaseClaims = { raised: 0 };

export function foldClaims(claims: PhaseClaims, event: ChangeEvent): PhaseClaims {
  switch (event.type) {
    case 'ClaimRaised':
      return { raised: claims.raised + (claims.open?.claim === event.data.claim ? 0 : 1), open: event.data };
    case 'ClaimAccepted':
    case 'ClaimRefused':
      return claims.open ? { ...claims, open: undefined } : claims;
    // The runs saw other files, or a person's message came before the decision: the claim is not decided, and has to be raised again.
    case 'FileWritten':
    case 'FileDeleted':
      return claims.open && !isStoredByRun(claims.open, event.data) ? { ...claims, open: undefined } : claims;
    case 'ModelResponded':
      return claims.open ? { ...claims, open: undefined } : claims;
    default:
      return keep(claims, 'claims', event);
  }
}

/** Whether a run stored a long text of its own result. */
function isStoredByRun({ runs }: OpenClaim, { path, callId }: PhaseEventData<'FileWritten' | 'FileDeleted'>): boolean {
  return path.startsWith(`${RESULTS_DIRECTORY}/`) && runs.some((run) => run.callId === callId);
}
