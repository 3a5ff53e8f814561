import type { JobState } from '@phaseline/domain';

/** Who makes the commits of a job: its agent, at an address that names the job and that no mail server can have. */
export interface AgentIdentity {
  readonly name: string;
  readonly email: string;
  /** Trailer with which every commit of the job is signed off. */
  readonly signOff: string;
}

export function identifyAgent({ submitted, definition }: JobState): AgentIdentity {
  // Characters that separate the parts of an identity, or that a shell interprets.
  const name = definition.agent.displayName.replace(/[^\p{L}\p{N} ._-]/gu, '').trim() || 'agent';
  const email = `job-${submitted.jobId}@phaseline.invalid`;
  return { name, email, signOff: `Signed-off-by: ${name} <${email}>` };
}

/** Environment in which git makes commits of that identity. */
export function buildIdentityEnvironment({ name, email }: AgentIdentity, at: string): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: at,
  };
}
