import { clip } from '@phaseline/basics';
import { SecretMask } from '@phaseline/basics/secrets';
import { getRepositoryHost } from '@phaseline/contracts';
import type { RepositoryOutput } from '@phaseline/domain';
import { sendGuardedRequest, type AddressRule } from '@phaseline/sandbox';
import { z } from 'zod';
import { createPullRequestApi, type PullRequestKind } from './pull-request-apis.js';
import { RepositoryProblem } from './repository-problem.js';

/** What a pull request merges into what. */
export interface PullRequestBranches {
  readonly branch: string;
  readonly base: string;
  /** It is opened as a draft that says so. */
  readonly unverified?: true;
}

export interface PullRequestTarget {
  readonly kind: PullRequestKind;
  /** Base URL of the API. */
  readonly api: string;
  /** URL of the repository; its path names the repository. */
  readonly url: string;
  readonly token: string;
  readonly rule: AddressRule;
  readonly signal: AbortSignal;
}

const UNVERIFIED = '**Unverified:** no accepted claim covers these changes.';

/**
 * Opens a pull request for a branch that was pushed, or finds the one that is open for it, so that a repetition after a crash opens no
 * second one. Returns its address. Throws RepositoryProblem `pull_request_refused`.
 */
export async function openPullRequest(
  { request }: RepositoryOutput,
  { branch, base, unverified }: PullRequestBranches,
  target: PullRequestTarget,
): Promise<string> {
  refuseOtherHost(target);
  const api = createPullRequestApi(target.kind, new URL(target.url).pathname);
  const { title = branch, body = '' } = request;
  const wanted = {
    branch,
    base,
    title,
    body: unverified ? `${UNVERIFIED}\n\n${body}`.trimEnd() : body,
    isDraft: unverified ?? false,
  };
  const open = z.array(api.answer).safeParse(await send(target, 'GET', api.findPath(wanted)));
  if (open.success && open.data[0] !== undefined) return open.data[0];
  const created = api.answer.safeParse(await send(target, 'POST', api.createPath, api.createBody(wanted)));
  if (!created.success)
    throw new RepositoryProblem('pull_request_refused', 'the server answered without the address of a pull request');
  return created.data;
}

/**
 * The token belongs to the server of the repository, and must not be disclosed to another one. `api.` before a host, as GitHub has it, is
 * a name of the same owner.
 */
function refuseOtherHost({ api, url }: PullRequestTarget): void {
  const [apiHost, host] = [new URL(api).host, getRepositoryHost(url)];
  if (apiHost !== host && apiHost !== `api.${host}`)
    throw new RepositoryProblem(
      'pull_request_refused',
      `the API is on ${apiHost} (PHASELINE_PULL_REQUEST_API), but the repository is on ${host}, whose token must not be sent elsewhere`,
    );
}

/** Maximum size in bytes of an answer that is read. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

async function send(target: PullRequestTarget, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await sendGuardedRequest(new URL(`${target.api.replace(/\/$/, '')}${path}`), target.rule, {
    method,
    headers: {
      accept: target.kind === 'github' ? 'application/vnd.github+json' : 'application/json',
      authorization: `Bearer ${target.token}`,
      'user-agent': 'phaseline',
      ...(target.kind === 'github' ? { 'x-github-api-version': '2022-11-28' } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: target.signal,
  });
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > MAX_ANSWER_BYTES) throw new RepositoryProblem('pull_request_refused', 'the answer is too large');
  }
  const status = answer.statusCode ?? 0;
  const parsed = parseJson(text);
  if (status >= 200 && status < 300) return parsed;
  // A server can repeat what it was sent.
  const reason = new SecretMask({ token: target.token }).maskText(describeRefusal(parsed, text));
  const problem = `the server refused the pull request (${status}): ${clip(reason.replace(/[\u0000-\u001f\u007f]/g, ' '), 300)}`;
  if (status === 429 || status >= 500) throw new Error(problem);
  throw new RepositoryProblem('pull_request_refused', problem);
}

/** GitHub answers with a message and the errors of fields; GitLab with a text, a list, or lists by field. */
const refusalSchema = z.object({
  message: z.union([z.string(), z.array(z.string()), z.record(z.string(), z.array(z.string()))]),
  errors: z.array(z.object({ message: z.string().optional(), field: z.string().optional() })).optional(),
});

function describeRefusal(parsed: unknown, text: string): string {
  const refusal = refusalSchema.safeParse(parsed);
  if (!refusal.success) return text;
  const { message, errors = [] } = refusal.data;
  const main =
    typeof message === 'string'
      ? [message]
      : Array.isArray(message)
        ? message
        : Object.entries(message).map(([field, problems]) => `${field} ${problems.join(', ')}`);
  return [...main, ...errors.flatMap(({ message: detail, field }) => detail ?? field ?? [])].join('; ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
