import { z } from 'zod';
import { secretNameSchema } from '../secrets/secret-name.js';

/** Folder of the workspace that contains the files of an imported repository. */
export const REPOSITORY_FOLDER = 'repository';

/** A ref that git commands read as a ref: it cannot be an option, a range or an expression. */
const ref = z
  .string()
  .max(200)
  .refine(isRefName, 'expected a branch, a tag or a full commit hash, such as main or refs/tags/v1.2');

/**
 * Whether a text is the name of a branch, a tag or a commit. Stricter than `git check-ref-format`: no control or unusual characters, no
 * leading hyphen, no range and no expression such as `HEAD~1`.
 */
function isRefName(text: string): boolean {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_./+@=-]*$/.test(text)) return false;
  return !/\.\.|\/\/|\/\.|@\{|\.lock(\/|$)|[/.]$/.test(text);
}

/** Whether a URL can be recorded: it has no user name, password, query or fragment, in which credentials are passed. */
function isWithoutCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash, hostname } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '' && hostname !== '';
}

const USER = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}';
const HOST = '[A-Za-z0-9][A-Za-z0-9.-]{0,252}';
const HTTP_URL = /^https?:\/\/[\x21-\x7e]+$/;
/** `ssh://git@host:22/path`, and `git@host:path`. Neither part can be an option of a program. */
const SSH_URL = new RegExp(`^ssh://(?:(${USER})@)?(${HOST}|\\[[0-9A-Fa-f:.]+\\])(?::([1-9]\\d{0,4}))?/[\\x21-\\x7e]+$`);
const SSH_ADDRESS = new RegExp(`^(${USER})@(${HOST}):(?!-)[\\x21-\\x7e]+$`);

/** The server of an address of a repository that is reached through ssh. */
export interface SshServer {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Returns the server of an ssh address: a URL, or `user@host:path`. Returns `undefined` for any other text. */
export function parseSshAddress(text: string): SshServer | undefined {
  const url = SSH_URL.exec(text);
  if (url) {
    const port = Number(url[3] ?? 22);
    return port <= 65_535 ? { host: url[2]!.replace(/^\[|\]$/g, ''), port } : undefined;
  }
  const address = SSH_ADDRESS.exec(text);
  return address ? { host: address[2]!, port: 22 } : undefined;
}

const repositoryUrl = z
  .string()
  .max(2_000)
  .refine((text) => parseSshAddress(text) !== undefined || (HTTP_URL.test(text) && URL.canParse(text)), {
    error:
      'expected a URL such as https://host/owner/name.git, ssh://git@host/owner/name.git or git@host:owner/name.git',
  })
  .refine(
    (text) => parseSshAddress(text) !== undefined || isWithoutCredentials(text),
    'expected a URL without credentials; store them with `phaseline secrets set`',
  );

const repositoryPath = z
  .string()
  .max(1_000)
  .regex(/^\/[^\u0000-\u001f\u007f]*$/, 'expected the absolute path of a repository on the machine of the tool-runner');

/** The repository on which a job works. */
export const repositoryRequestSchema = z
  .strictObject({
    url: repositoryUrl.optional(),
    /** Absolute path of a repository on the machine of the tool-runner, below one of its allowed roots. */
    path: repositoryPath.optional(),
    /** Branch, tag or full commit hash. Default: the branch that the repository names as its head. */
    ref: ref.default('HEAD'),
    /** Name of a stored secret that contains the access token of the URL, or the private key of an ssh address. */
    secret: secretNameSchema.optional(),
  })
  .refine(({ url, path }) => (url === undefined) !== (path === undefined), {
    message: 'expected exactly one of "url" and "path"',
    path: ['url'],
  })
  .refine(({ url, secret }) => url === undefined || parseSshAddress(url) === undefined || secret !== undefined, {
    message:
      'expected the name of a secret with the private key of the ssh address; store it with `phaseline secrets set`',
    path: ['secret'],
  })
  .meta({ id: 'RepositoryRequest' });
export type RepositoryRequest = z.output<typeof repositoryRequestSchema>;

/** How the changes of a job leave the system. */
export const repositoryOutputKinds = ['patch', 'branch', 'pull_request'] as const;
export type RepositoryOutputKind = (typeof repositoryOutputKinds)[number];
export const branchNameSchema = ref;
