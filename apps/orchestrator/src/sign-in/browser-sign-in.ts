import { Injectable } from '@nestjs/common';
import { toActor, SessionStore, type Caller } from '@phaseline/identity';
import { findConfiguredCaller, InjectConfig, type BrowserSessions } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { SIGN_IN_PATHS } from './pages.js';

/** A cookie that starts a session, as the value of `Set-Cookie`. */
export interface StartedSession {
  readonly cookie: string;
}

/** Signs people in with one-time links, and recognises the cookies of their sessions. */
@Injectable()
export class BrowserSignIn implements BrowserSessions {
  readonly publicPaths: ReadonlySet<string> = new Set(SIGN_IN_PATHS);
  private readonly isSecure: boolean;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    private readonly sessions: SessionStore,
  ) {
    this.isSecure = config.PHASELINE_PUBLIC_URL?.startsWith('https:') === true;
  }

  async authenticate(request: FastifyRequest): Promise<Caller | undefined> {
    const token = this.readToken(request);
    const session = token === undefined ? undefined : await this.sessions.find(token);
    return session && this.findCaller(session.principal);
  }

  /** Uses up a link and starts a session; undefined if the link is not valid. */
  async signIn(linkToken: string): Promise<StartedSession | undefined> {
    const principal = await this.sessions.useLink(linkToken);
    const caller = principal === undefined ? undefined : this.findCaller(principal);
    if (!caller) return undefined;
    const { token } = await this.sessions.start(caller.id, 'link', toActor(caller));
    return { cookie: this.buildCookie(token) };
  }

  /** Ends the session of a request. Returns the cookie that removes it from the browser. */
  async signOut(request: FastifyRequest): Promise<string> {
    const token = this.readToken(request);
    const caller = await this.authenticate(request);
    if (token !== undefined && caller) await this.sessions.end(token, toActor(caller));
    return `${this.buildCookie('')}; Max-Age=0`;
  }

  /** Returns the principal with its present roles. */
  private findCaller(principal: string): Caller | undefined {
    return findConfiguredCaller(principal, this.config);
  }

  private readToken({ headers }: FastifyRequest): string | undefined {
    const prefix = `${this.cookieName}=`;
    const cookie = headers.cookie?.split(/; */).find((one) => one.startsWith(prefix));
    return cookie?.slice(prefix.length);
  }

  private buildCookie(token: string): string {
    return `${this.cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict${this.isSecure ? '; Secure' : ''}`;
  }

  /** Browsers accept the prefix `__Host-` only over https. */
  private get cookieName(): string {
    return this.isSecure ? '__Host-phaseline' : 'phaseline';
  }
}
