import { Injectable } from '@nestjs/common';
import type { SignInMethod } from '@phaseline/domain';
import { KeyDirectory, toActor, SessionStore, type Caller } from '@phaseline/identity';
import { findSignedInCaller, InjectConfig, type BrowserSessions } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { isDashboardPath } from '../dashboard/dashboard-paths.js';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { buildCookie, readCookie } from './cookies.js';
import { SIGN_IN_PATHS } from './pages.js';

const COOKIE = 'phaseline';

/** A cookie that starts a session, as the value of `Set-Cookie`. */
export interface StartedSession {
  readonly cookie: string;
}

/** Signs people in with one-time links, and recognises the cookies of their sessions. */
@Injectable()
export class BrowserSignIn implements BrowserSessions {
  readonly isSecure: boolean;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    private readonly sessions: SessionStore,
    private readonly directory: KeyDirectory,
  ) {
    this.isSecure = config.PHASELINE_PUBLIC_URL?.startsWith('https:') === true;
  }

  isPublic(path: string): boolean {
    return (SIGN_IN_PATHS as readonly string[]).includes(path) || isDashboardPath(path);
  }

  async authenticate(request: FastifyRequest, isUse = true): Promise<Caller | undefined> {
    const token = this.readToken(request);
    const session = token === undefined ? undefined : await this.sessions.find(token, isUse);
    return session && this.findCaller(session.principal);
  }

  /** Uses up a link and starts a session; undefined if the link is not valid. */
  async signIn(linkToken: string): Promise<StartedSession | undefined> {
    const principal = await this.sessions.useLink(linkToken);
    const caller = principal === undefined ? undefined : await this.findCaller(principal);
    return caller && this.startSession(caller, 'link');
  }

  /** Starts a session of a principal who has proven who it is. */
  async startSession(caller: Caller, method: SignInMethod): Promise<StartedSession> {
    const { token } = await this.sessions.start(caller.id, method, toActor(caller));
    return { cookie: this.buildCookie(token) };
  }

  /** Ends the session of a request. Returns the cookie that removes it from the browser. */
  async signOut(request: FastifyRequest): Promise<string> {
    const token = this.readToken(request);
    const caller = await this.authenticate(request);
    if (token !== undefined && caller) await this.sessions.end(token, toActor(caller));
    return this.buildCookie('', 0);
  }

  /** Returns the principal with its present roles. */
  private findCaller(principal: string): Promise<Caller | undefined> {
    return findSignedInCaller(principal, this.config, this.directory);
  }

  private readToken(request: FastifyRequest): string | undefined {
    return readCookie(request, COOKIE, this.isSecure);
  }

  private buildCookie(token: string, maxAge?: number): string {
    const age = maxAge === undefined ? {} : { maxAge };
    return buildCookie(COOKIE, token, { isSecure: this.isSecure, sameSite: 'Strict', ...age });
  }
}
