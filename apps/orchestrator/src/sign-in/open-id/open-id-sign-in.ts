import { Injectable } from '@nestjs/common';
import { IdentityRefused, mapClaims, OPEN_ID_ACTOR, Principals, readClaim, SessionStore } from '@phaseline/identity';
import { AddressLimit, InjectConfig, InjectLogger, isLocalUser, isReservedActor } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../../orchestrator-config.js';
import { BrowserSignIn } from '../browser-sign-in.js';
import { buildCookie, readCookie } from '../cookies.js';
import { describeCauses } from './describe-causes.js';
import { readOpenIdSettings, type OpenIdSettings } from './open-id-config.js';
import { OpenIdProvider, type VerifiedAccount } from './open-id-provider.js';
import { SignInFailed } from './sign-in-failed.js';

/** Cookie that binds an attempt to the browser that began it, in seconds that it lasts. */
const COOKIE = 'phaseline-sign-in';
const COOKIE_SECONDS = 10 * 60;

/** Number of sign-ins that an address can begin per minute. Many people may share an address, such as that of a proxy. */
export const MAX_SIGN_INS_PER_MINUTE = 60;

/** Failures that anybody can cause at will, and of which the log would learn nothing. */
const unlogged: ReadonlySet<SignInFailed['code']> = new Set(['not_configured', 'too_many_attempts']);

/** Ids of new principals. Others use them in commands and URLs, so only plain characters are allowed. */
const PRINCIPAL_ID = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/;

/** Signs people in with accounts of the configured OpenID provider. All methods throw SignInFailed. */
@Injectable()
export class OpenIdSignIn {
  private readonly settings: OpenIdSettings | undefined;
  private readonly provider: OpenIdProvider | undefined;
  private readonly begun = new AddressLimit(MAX_SIGN_INS_PER_MINUTE);

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly sessions: SessionStore,
    private readonly principals: Principals,
    private readonly browser: BrowserSignIn,
  ) {
    this.settings = readOpenIdSettings(config);
    this.provider = this.settings && new OpenIdProvider(this.settings);
  }

  get isConfigured(): boolean {
    return this.provider !== undefined;
  }

  /** Returns where to send a browser that wants to sign in, and the cookie by which it is recognised when it returns. */
  async begin({ ip }: Pick<FastifyRequest, 'ip'>): Promise<{ readonly url: URL; readonly cookie: string }> {
    return this.logFailure(async () => {
      const provider = this.requireProvider();
      // Before the query: the address is not authenticated, and each attempt is a row.
      const waitSeconds = this.begun.add(ip);
      if (waitSeconds !== undefined)
        throw new SignInFailed('too_many_attempts', {
          ...{ retryAfterSeconds: waitSeconds, detail: `Try again in ${waitSeconds} s.` },
        });
      const { url, state, attempt } = await provider.begin();
      const token = await this.sessions.beginAttempt(state, attempt);
      return { url, cookie: this.buildCookie(token, COOKIE_SECONDS) };
    });
  }

  /** Signs in a browser that the provider has sent back. Returns the principal and the cookies to set. */
  async finish(request: FastifyRequest): Promise<{ readonly principal: string; readonly cookies: readonly string[] }> {
    return this.logFailure(async () => {
      const provider = this.requireProvider();
      const query = new URL(request.url, 'http://service').searchParams;
      const state = query.get('state');
      const browser = readCookie(request, COOKIE, this.browser.isSecure);
      const attempt = state && browser ? await this.sessions.useAttempt(state, browser) : undefined;
      if (!state || !attempt) throw new SignInFailed('attempt_unknown');
      const caller = await this.findPrincipal(await provider.finish(query, state, attempt));
      const { cookie } = await this.browser.startSession(caller, 'openid-connect');
      return { principal: caller.id, cookies: [cookie, this.buildCookie('', 0)] };
    });
  }

  private requireProvider(): OpenIdProvider {
    if (!this.provider) throw new SignInFailed('not_configured');
    return this.provider;
  }

  /** Finds or creates the principal of an account, with the roles that its claims give now. */
  private async findPrincipal({ issuer, subject, claims }: VerifiedAccount) {
    const { createsPrincipals, mapping } = this.settings!;
    const detail = `Your account is ${JSON.stringify(subject)} of ${issuer}.`;
    const roles = mapClaims(claims, mapping);
    const newId = createsPrincipals ? this.chooseId(claims) : undefined;
    const principal = await this.principals
      .signIn({ issuer, subject, roles, newId })
      .catch((error: unknown) => Promise.reject(toSignInFailed(error, detail)));
    if (!principal) throw new SignInFailed(createsPrincipals ? 'name_unusable' : 'account_unknown', { detail });
    if (principal.roles.length === 0) throw new SignInFailed('no_role', { detail: `You are ${principal.id}.` });
    const { id, kind } = principal;
    return { id, kind, roles: principal.roles };
  }

  /** Returns the id of a new principal; undefined if the account has no usable name. */
  private chooseId(claims: VerifiedAccount['claims']): string | undefined {
    const [name] = readClaim(claims, this.settings!.nameClaim);
    if (name === undefined || !PRINCIPAL_ID.test(name) || name === OPEN_ID_ACTOR) return undefined;
    // Events of these names belong to others, who have every right.
    return isReservedActor(name, this.config) || isLocalUser(name) ? undefined : name;
  }

  private buildCookie(value: string, maxAge: number): string {
    return buildCookie(COOKIE, value, { isSecure: this.browser.isSecure, sameSite: 'Lax', maxAge });
  }

  /** Logs what the page does not say. Errors of the provider may contain tokens, so only their messages are logged. */
  private async logFailure<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SignInFailed && !unlogged.has(error.code))
        this.logger.warn({ code: error.code, causes: describeCauses(error.cause) }, 'a sign-in failed');
      throw error;
    }
  }
}

function toSignInFailed(error: unknown, detail: string): unknown {
  if (!(error instanceof IdentityRefused)) return error;
  if (error.code === 'principal_exists') return new SignInFailed('name_taken', { cause: error, detail });
  if (error.code === 'principal_disabled') return new SignInFailed('principal_disabled', { cause: error });
  return error;
}
