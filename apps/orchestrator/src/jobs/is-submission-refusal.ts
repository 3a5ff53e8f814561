import { UnknownDefinition, UnusableAgent } from '@phaseline/definitions';
import {
  AgentsUnusable,
  DocumentRefused,
  InputsMissing,
  PersonNotAllowed,
  RepositoryUnavailable,
  VerifierRefused,
} from '@phaseline/orchestration';

type SubmissionRefusal =
  | AgentsUnusable
  | UnknownDefinition
  | UnusableAgent
  | DocumentRefused
  | InputsMissing
  | PersonNotAllowed
  | RepositoryUnavailable
  | VerifierRefused;

const refusals = [
  AgentsUnusable,
  UnknownDefinition,
  UnusableAgent,
  DocumentRefused,
  InputsMissing,
  PersonNotAllowed,
  RepositoryUnavailable,
  VerifierRefused,
];

/** Whether a job cannot be submitted because of what was requested, so that submitting it again would not help. */
export function isSubmissionRefusal(error: unknown): error is SubmissionRefusal {
  return refusals.some((refusal) => error instanceof refusal);
}
