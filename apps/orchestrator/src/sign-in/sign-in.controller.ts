import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { loginLinkSchema, type LoginLink } from '@phaseline/client';
import { SessionStore } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { ApiProblem } from '../problem/api-problem.js';
import { BrowserSignIn } from './browser-sign-in.js';
import { OpenIdSignIn } from './open-id/open-id-sign-in.js';
import { LOGIN_SCRIPT, renderLoginPage, renderSignedInPage, renderSignedOutPage } from './pages.js';
import { PAGE_HEADERS, sendPage } from './send-page.js';

const useLinkSchema = z.strictObject({ token: z.string().max(200) });

/** One-time links with which a caller signs in with a browser. */
@ApiTags('sign-in')
@Controller('v1/login-links')
export class LoginLinksController {
  constructor(private readonly sessions: SessionStore) {}

  @Post()
  @HttpCode(200)
  @Requires('any-caller')
  @ApiOperation({
    operationId: 'createLoginLink',
    summary: 'Create a one-time link that signs the caller in with a browser',
    description: 'Append `/login#` and the token to the URL of the server. The link can be used once, for 10 minutes.',
  })
  @ApiOkResponse({ standardSchema: loginLinkSchema })
  @ApiProblems('request_refused')
  async create(@Req() request: FastifyRequest): Promise<LoginLink> {
    const caller = getCaller(request);
    if (caller.onBehalfOf) throw new ApiProblem('request_refused', 'Only the caller itself can sign in.');
    // A session has all rights of its principal, so it would extend those of the key.
    if (caller.limits)
      throw new ApiProblem('request_refused', 'This key has fewer rights than its principal, so it cannot sign in.');
    const { token, expiresAt } = await this.sessions.createLink(caller.id);
    return { token, principal: caller.id, expiresAt: expiresAt.toISOString() };
  }
}

/** The pages of the sign-in. They are for browsers, not part of the API. */
@ApiExcludeController()
@Controller()
@Requires('anyone')
export class SignInController {
  constructor(
    private readonly signIn: BrowserSignIn,
    private readonly openId: OpenIdSignIn,
  ) {}

  @Get('login')
  login(@Res({ passthrough: true }) reply: FastifyReply): string {
    return sendPage(reply, renderLoginPage(this.openId.isConfigured));
  }

  @Get('login.js')
  script(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.headers({ ...PAGE_HEADERS, 'content-type': 'text/javascript; charset=utf-8' });
    return LOGIN_SCRIPT;
  }

  @Post('login')
  @HttpCode(204)
  async useLink(
    @Body({ schema: useLinkSchema }) { token }: z.infer<typeof useLinkSchema>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const started = await this.signIn.signIn(token);
    if (!started) throw new ApiProblem('request_refused', 'This link was used already, or has expired.');
    void reply.header('set-cookie', started.cookie);
  }

  @Get('signed-in')
  async signedIn(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const caller = await this.signIn.authenticate(request);
    return sendPage(reply, caller ? renderSignedInPage(caller.id) : renderSignedOutPage(this.openId.isConfigured));
  }

  @Post('logout')
  @Requires('any-caller')
  @HttpCode(204)
  async logout(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    void reply.header('set-cookie', await this.signIn.signOut(request));
  }
}
