import { z } from 'zod';

const count = z.int().min(0);

/** What an agent may do in a turn: the work between two inputs of a person. The submission begins the first turn. */
export const turnLimitsSchema = z.strictObject({
  /** Number of turns of a job. */
  max: z.int().min(1).max(10_000).optional(),
  /** Milliseconds inside model calls and tools. Waiting for people, queues or servers that are down does not count. */
  workMs: z.int().min(1).max(86_400_000).optional(),
  /** Cost after which no further call is made. The call that passes it is allowed, as its price is known only afterwards. */
  softCostUsd: z.number().positive().optional(),
});
export type TurnLimits = z.infer<typeof turnLimitsSchema>;

const turnMembers = { number: z.int().min(1), workMs: count, costMicroUsd: count };

/** The turn that a job is in, and what was used in it so far. */
export const turnSchema = z.object(turnMembers);
export type Turn = z.infer<typeof turnSchema>;

/** The turn in which a phase begins, with its limits. An absent limit means none. */
export const turnAllowanceSchema = z.object({
  ...turnMembers,
  max: z.int().min(1).optional(),
  maxWorkMs: count.optional(),
  softCostMicroUsd: count.optional(),
});
export type TurnAllowance = z.infer<typeof turnAllowanceSchema>;

export const FIRST_TURN: Turn = { number: 1, workMs: 0, costMicroUsd: 0 };

/** Begins the next turn, after an input of a person. */
export function startNextTurn({ number }: Turn): Turn {
  return { ...FIRST_TURN, number: number + 1 };
}

export function addToTurn(turn: Turn, workMs: number, costMicroUsd = 0): Turn {
  return {
    ...turn,
    workMs: Math.min(turn.workMs + workMs, Number.MAX_SAFE_INTEGER),
    costMicroUsd: Math.min(turn.costMicroUsd + costMicroUsd, Number.MAX_SAFE_INTEGER),
  };
}

/** Builds what a phase of an agent with these limits may do in a turn. */
export function buildTurnAllowance(turn: Turn, { max, workMs, softCostUsd }: TurnLimits): TurnAllowance {
  return {
    ...turn,
    ...(max === undefined ? {} : { max }),
    ...(workMs === undefined ? {} : { maxWorkMs: workMs }),
    ...(softCostUsd === undefined ? {} : { softCostMicroUsd: Math.round(softCostUsd * 1_000_000) }),
  };
}
