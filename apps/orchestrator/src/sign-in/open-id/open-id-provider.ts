import type { Claims, SignInAttempt } from '@phaseline/identity';
import * as client from 'openid-client';
import type { OpenIdSettings } from './open-id-config.js';
import { SignInFailed } from './sign-in-failed.js';

/** Maximum duration of one request to the provider, in seconds. */
const TIMEOUT_SECONDS = 10;

/** An account that the provider has vouched for. */
export interface VerifiedAccount {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
}

/** A sign-in that begins: where to send the browser, and what must be remembered until it returns. */
export interface BegunSignIn {
  readonly url: URL;
  readonly state: string;
  readonly attempt: SignInAttempt;
}

/**
 * The configured OpenID provider: authorization code flow with PKCE, state and nonce. It is found at the first sign-in, so that the service
 * also starts while the provider is down. All methods throw SignInFailed.
 */
export class OpenIdProvider {
  private found: Promise<client.Configuration> | undefined;

  constructor(private readonly settings: OpenIdSettings) {}

  async begin(): Promise<BegunSignIn> {
    const provider = await this.find();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.settings.callbackUrl.href,
      scope: this.settings.scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, state, attempt: { nonce, verifier } };
  }

  /**
   * Exchanges the code in the query with which the provider sent the browser back, and verifies the answer: state, issuer, audience, nonce,
   * times and signature.
   */
  async finish(query: URLSearchParams, state: string, { nonce, verifier }: SignInAttempt): Promise<VerifiedAccount> {
    const provider = await this.find();
    const url = new URL(this.settings.callbackUrl);
    url.search = query.toString();
    try {
      const tokens = await client.authorizationCodeGrant(provider, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        claims: { ...(await this.readUserInfo(provider, tokens.access_token, claims)), ...claims },
      };
    } catch (error) {
      throw toSignInFailed(error);
    }
  }

  /** Many providers put groups and names only there. Claims of the signed ID token take precedence. */
  private async readUserInfo(
    provider: client.Configuration,
    accessToken: string,
    claims: client.IDToken,
  ): Promise<Claims> {
    const { nameClaim, mapping } = this.settings;
    const needed = [nameClaim, mapping.rolesClaim, mapping.tenantClaim].filter((name) => name !== undefined);
    const isComplete = needed.every((name) => Object.hasOwn(claims, name.split('.')[0]!));
    if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return {};
    return client.fetchUserInfo(provider, accessToken, claims.sub);
  }

  private find(): Promise<client.Configuration> {
    this.found ??= this.discover().catch((error: unknown) => {
      this.found = undefined;
      throw new SignInFailed('provider_unreachable', { cause: error });
    });
    return this.found;
  }

  private async discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
    const provider = await client.discovery(issuer, clientId, {}, authentication, {
      timeout: TIMEOUT_SECONDS,
      // The settings allow http only for a provider on this machine.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    });
    provider.timeout = TIMEOUT_SECONDS;
    // Also verifies the signature of the ID token, which otherwise only the connection to the provider protects.
    client.enableNonRepudiationChecks(provider);
    return provider;
  }
}

/** Errors by which the provider refuses the person, not the request. */
const REFUSALS: ReadonlySet<string> = new Set(['access_denied', 'login_required', 'consent_required']);
const UNREACHABLE: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

function toSignInFailed(error: unknown): SignInFailed {
  if (error instanceof client.AuthorizationResponseError)
    return new SignInFailed(REFUSALS.has(error.error) ? 'provider_refused' : 'answer_rejected', { cause: error });
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  const isUnreachable = (code !== undefined && UNREACHABLE.has(code)) || isNetworkError(cause ?? error);
  return new SignInFailed(isUnreachable ? 'provider_unreachable' : 'answer_rejected', { cause: error });
}

/** `fetch` rejects with a TypeError whose cause is the error of the socket. */
function isNetworkError(error: unknown): boolean {
  return error instanceof Error && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(String((error as NodeJS.ErrnoException).code));
}
