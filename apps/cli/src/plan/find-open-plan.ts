import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { NoOpenPlan } from '../command/command-errors.js';

export interface WantedPlan {
  /** Person for whom the plan is made; default: the caller. */
  readonly user: string | undefined;
  readonly goalId: string | undefined;
}

/** Returns the open plan of a person that was begun last. Throws NoOpenPlan. */
export async function findOpenPlan(
  client: PhaselineClient,
  { user: given, goalId }: WantedPlan,
  signal: AbortSignal,
): Promise<JobId> {
  const user = given ?? (await findCaller(client, signal));
  const { items } = await client.planPage({ user, goalId, open: 'true', limit: 1 }, { signal });
  const [latest] = items;
  if (latest) return latest.planId;
  throw new NoOpenPlan(
    goalId === undefined
      ? `${user} has no open plan. Begin one: phaseline plan "GOAL".`
      : `${user} has no open plan for the goal ${goalId}. Begin one, which starts from the approved plan of the goal if there is one: phaseline plan "WHAT IS TO BE DIFFERENT" --goal-id ${goalId}`,
  );
}

async function findCaller(client: PhaselineClient, signal: AbortSignal): Promise<string> {
  const { id, onBehalfOf } = await client.whoAmI({ signal });
  return onBehalfOf?.id ?? id;
}
