import { z } from 'zod';
import { RepositoryProblem } from './repository-problem.js';

export const pullRequestKinds = ['github', 'gitlab'] as const;
export type PullRequestKind = (typeof pullRequestKinds)[number];

interface WantedPullRequest {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
}

/** How a kind of server is asked for pull requests. Paths are relative to the base URL of its API. */
interface PullRequestApi {
  /** Path that lists the open pull requests from the branch into the base. */
  findPath(wanted: WantedPullRequest): string;
  readonly createPath: string;
  createBody(wanted: WantedPullRequest): object;
  /** Parses one pull request of an answer into its address. */
  readonly answer: z.ZodType<string>;
}

/** `pathname` is the path of the URL of the repository. Throws RepositoryProblem `pull_request_refused`. */
export function createPullRequestApi(kind: PullRequestKind, pathname: string): PullRequestApi {
  const parts = pathname
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean);
  if (parts.length < 2)
    throw new RepositoryProblem(
      'pull_request_refused',
      'the URL of the repository does not end with an owner and a name',
    );
  return kind === 'github' ? createGitHubApi(parts) : createGitLabApi(parts);
}

/** https://docs.github.com/rest/pulls/pulls */
function createGitHubApi(parts: readonly string[]): PullRequestApi {
  const [owner, name] = parts.slice(-2);
  const path = `/repos/${owner}/${name}/pulls`;
  return {
    findPath: ({ branch, base }) =>
      `${path}?${new URLSearchParams({ head: `${owner}:${branch}`, base, state: 'open' })}`,
    createPath: path,
    createBody: ({ branch, base, title, body, isDraft }) => ({
      ...{ title, body, head: branch, base },
      ...(isDraft ? { draft: true } : {}),
    }),
    answer: z.object({ html_url: z.url({ protocol: /^https?$/ }) }).transform(({ html_url }) => html_url),
  };
}

/** https://docs.gitlab.com/api/merge_requests/. A project is named by its whole path, with its groups. */
function createGitLabApi(parts: readonly string[]): PullRequestApi {
  const project = encodeURIComponent(parts.map((part) => decodeURIComponent(part)).join('/'));
  const path = `/projects/${project}/merge_requests`;
  return {
    findPath: ({ branch, base }) =>
      `${path}?${new URLSearchParams({ state: 'opened', source_branch: branch, target_branch: base })}`,
    createPath: path,
    createBody: ({ branch, base, title, body, isDraft }) => ({
      title: isDraft ? `Draft: ${title}` : title,
      description: body,
      source_branch: branch,
      target_branch: base,
    }),
    answer: z.object({ web_url: z.url({ protocol: /^https?$/ }) }).transform(({ web_url }) => web_url),
  };
}
