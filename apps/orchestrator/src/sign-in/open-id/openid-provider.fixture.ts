import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

type Claims = Record<string, unknown>;

/** A real OpenID provider on a loopback port. It signs in `person` without asking. */
export interface ProviderForSpecs {
  readonly issuer: string;
  /** The account that the next sign-in proves, or an error of the provider instead. */
  person: string;
  /** Claims of each account. */
  readonly accounts: Record<string, Claims>;
  /** Changes the claims of ID tokens before they are signed. */
  tamper: (claims: Claims) => Claims;
  /** Changes signed ID tokens. */
  replace: (idToken: string) => string;
  close(): Promise<void>;
}

export const CLIENT_ID = 'phaseline';
export const CLIENT_SECRET = 'client-secret-of-the-spec-0123456789';

export async function startProvider(redirectUri: string, options: { readonly port?: number } = {}) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const control: ProviderForSpecs = {
    issuer,
    person: 'ada-1',
    accounts: {},
    tamper: (claims) => claims,
    replace: (token) => token,
    close: () => closeServer(server),
  };
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a-key-of-this-spec'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups', 'org_id'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...control.accounts[accountId] }),
    }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ accountId: oidc.session!.accountId!, clientId: oidc.client!.clientId });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.path !== '/token' || body?.id_token === undefined) return;
    const [header, payload] = body.id_token.split('.') as [string, string];
    const claims = control.tamper(JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims);
    body.id_token = control.replace(signToken(header, claims, privateKey));
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
    const result = control.person === 'nobody' ? { error: 'access_denied' } : { login: { accountId: control.person } };
    void provider.interactionFinished(request, response, result);
  });
  return control;
}

function signToken(header: string, claims: Claims, key: KeyObject): string {
  const content = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), key).toString('base64url')}`;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** A browser: it keeps cookies per origin and follows redirects one by one. */
export class BrowserForSpecs {
  private readonly cookies = new Map<string, Map<string, string>>();

  async get(url: string | URL): Promise<Response> {
    const target = new URL(url);
    const jar = this.jarOf(target);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(target, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  }

  /** Follows redirects until `isEnd`, or to the page at their end. Returns the last URL with its response. */
  async follow(url: string, isEnd: (url: URL) => boolean = () => false): Promise<{ url: URL; response?: Response }> {
    let next = new URL(url);
    for (let hops = 0; hops < 12; hops += 1) {
      if (isEnd(next)) return { url: next };
      const response = await this.get(next);
      const location = response.headers.get('location');
      if (location === null) return { url: next, response };
      next = new URL(location, next);
    }
    throw new Error(`too many redirects, the last to ${next.href}`);
  }

  cookie(url: string, name: string): string | undefined {
    return this.jarOf(new URL(url)).get(name);
  }

  private jarOf({ host }: URL): Map<string, string> {
    const jar = this.cookies.get(host) ?? new Map<string, string>();
    this.cookies.set(host, jar);
    return jar;
  }
}
