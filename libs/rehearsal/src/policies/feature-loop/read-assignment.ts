import { RehearsalFailure, type RehearsalRequest } from '../../rehearsal-policy.js';
import type { ExampleFeature } from './example/example-feature.js';
import { exampleFeatures } from './example/example-features.js';

/** The feature that a phase works on, and the number of this attempt, from 1. */
export interface Assignment {
  readonly feature: ExampleFeature;
  readonly attempt: number;
}

/** The heading of the feature that a phase works on. */
const FEATURE = /^## Feature (\S+)$/m;

/** Path at which the tester notes what it tried and saw. */
export function getEvidencePath({ id }: ExampleFeature): string {
  return `evidence/${id}.md`;
}

/**
 * Reads from the messages of a phase which feature it works on.
 *
 * @throws {RehearsalFailure} if it is none of the example.
 */
export function readAssignment({ messages }: Pick<RehearsalRequest, 'messages'>): Assignment {
  // After a failed attempt, what a model says about it comes before the feature.
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => content ?? '');
  const assignment = texts.find((text) => FEATURE.test(text)) ?? '';
  const [, id] = FEATURE.exec(assignment) ?? [];
  const feature = exampleFeatures.find((one) => one.id === id);
  if (!feature)
    throw new RehearsalFailure(
      `The rehearsal model plays only the features of agents/feature-lead/example, and ${id ?? 'this phase'} is none of them.`,
    );
  const [, failed = '0'] = /^Failed attempts so far: (\d+)\./m.exec(assignment) ?? [];
  return { feature, attempt: Number(failed) + 1 };
}

/** Reads the number of the phase from the system prompt. */
export function readPhaseNumber({ messages }: Pick<RehearsalRequest, 'messages'>): string {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  return /^This is phase (\d+),/m.exec(system)?.[1] ?? '?';
}
