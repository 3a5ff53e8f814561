import {
  addSpending,
  addUnconfirmed,
  NOTHING_SPENT,
  NOTHING_UNCONFIRMED,
  type Spending,
  type Unconfirmed,
} from '../../budget/spending.js';
import type { Allowance } from '../../budget/allowance.js';
import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';
import type { OpenModelCall } from './model-call.js';

/** What a phase has used and what it may still use. */
export interface PhaseMoney {
  readonly spending: Spending;
  /** Reservations of attempts whose answer was lost. They may have been charged, so they count against the caps. */
  readonly unconfirmed: Unconfirmed;
  /** What the phase may still use. A resume and the end of a question move its deadline. */
  readonly allowance: Allowance;
}

export function startMoney(allowance: Allowance): PhaseMoney {
  return { spending: NOTHING_SPENT, unconfirmed: NOTHING_UNCONFIRMED, allowance };
}

/** Folds one event. `open` is the model call that was open before it. */
export function foldMoney(money: PhaseMoney, event: ChangeEvent, open: OpenModelCall | undefined): PhaseMoney {
  switch (event.type) {
    case 'ModelResponded':
      return addUsage(money, event.data, 1);
    case 'ConversationSummarised':
    case 'JudgeEnded':
    case 'ReflectionRecorded':
      // These are no steps of the work.
      return addUsage(money, event.data, 0);
    case 'ModelCallFailed':
      return event.data.mayBeCharged ? addLostCall(money, open) : money;
    case 'PhaseTakenOver':
    case 'PhaseCompleted':
    case 'PhaseFailed':
    case 'PhaseCancelled':
      return addLostCall(money, open);
    case 'ChildJobRequested':
      return { ...money, unconfirmed: addUnconfirmed(money.unconfirmed, event.data.reserved) };
    case 'ChildJobEnded':
      return addChildJob(money, event.data);
    case 'QuestionAnswered':
    case 'QuestionTimedOut':
    case 'PhaseResumed': {
      const { deadlineAt } = event.data;
      return deadlineAt === undefined ? money : { ...money, allowance: { ...money.allowance, deadlineAt } };
    }
    default:
      return keep(money, 'money', event);
  }
}

type Charged = Pick<
  PhaseEventData<'ModelResponded' | 'ConversationSummarised' | 'JudgeEnded' | 'ReflectionRecorded'>,
  'usage' | 'costMicroUsd'
>;

function addUsage(money: PhaseMoney, { usage, costMicroUsd }: Charged, steps: number): PhaseMoney {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const used = { steps, inputTokens, cachedInputTokens, outputTokens, costMicroUsd };
  return { ...money, spending: addSpending(money.spending, used) };
}

/** Replaces the share that was reserved for a child job by what it used. Its model calls are no steps of this phase. */
function addChildJob(
  money: PhaseMoney,
  { reserved, spending, unconfirmed }: PhaseEventData<'ChildJobEnded'>,
): PhaseMoney {
  return {
    ...money,
    spending: addSpending(money.spending, { ...spending, steps: 0 }),
    unconfirmed: addUnconfirmed(releaseReservation(money.unconfirmed, reserved), unconfirmed),
  };
}

/** Returns what remains unconfirmed without a reservation. */
export function releaseReservation(unconfirmed: Unconfirmed, reserved: Unconfirmed): Unconfirmed {
  return {
    costMicroUsd: Math.max(0, unconfirmed.costMicroUsd - reserved.costMicroUsd),
    tokens: Math.max(0, unconfirmed.tokens - reserved.tokens),
  };
}

/** Counts the reservation of a call whose answer is lost, because it may have been charged. */
function addLostCall(money: PhaseMoney, open: OpenModelCall | undefined): PhaseMoney {
  if (!open) return money;
  const { reservedMicroUsd: costMicroUsd, reservedTokens: tokens } = open;
  return { ...money, unconfirmed: addUnconfirmed(money.unconfirmed, { costMicroUsd, tokens }) };
}
