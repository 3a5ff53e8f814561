import { DIFF_REVIEW } from '@phaseline/checks';
import { z } from 'zod';
import type { PhaseState } from '../phase/phase-state.js';

/** Body of a guard of the kind `judge`, as far as it is used. The model that it names is none of ours, so the phase's model judges. */
const judgeBodySchema = z.object({ prompt: z.string() });

/** What a judge of a phase looks for. */
interface Judge {
  /** Profile of its model; that of the phase if absent. */
  readonly model?: string | undefined;
  /** Absent for the shipped judge. */
  readonly instructions?: string | undefined;
}

/**
 * Finds a judge by name: one of the agent, the shipped one, or a guard of the kind `judge`. `undefined` if the phase has none of this name. The
 * placeholder of the protocol for the input of a hook stands for what the judge is shown.
 */
export function findJudge({ start: { terms } }: Pick<PhaseState, 'start'>, name: string): Judge | undefined {
  const own = terms.judges?.[name];
  if (own) return own;
  if (name === DIFF_REVIEW) return {};
  const guard = terms.guards?.find((one) => one.kind === 'judge' && one.name === name);
  const body = guard && judgeBodySchema.safeParse(guard.body).data;
  return body && { instructions: body.prompt.replaceAll('$ARGUMENTS', 'the claim and the changes below') };
}
