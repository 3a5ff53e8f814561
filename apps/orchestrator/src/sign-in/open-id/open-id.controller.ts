import { Controller, Get, HttpCode, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Requires } from '../../access/requires.js';
import { renderContinuePage, renderFailurePage } from '../pages.js';
import { sendPage } from '../send-page.js';
import { OpenIdSignIn } from './open-id-sign-in.js';
import { SignInFailed } from './sign-in-failed.js';

/** The sign-in through an OpenID provider. For browsers, so failures are pages as well. */
@ApiExcludeController()
@Controller('login/openid')
@Requires('anyone')
export class OpenIdController {
  constructor(private readonly openId: OpenIdSignIn) {}

  /** Sends the browser to the provider. */
  @Get()
  @HttpCode(303)
  async begin(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    try {
      const { url, cookie } = await this.openId.begin(request);
      void reply.headers({ location: url.href, 'set-cookie': cookie });
      return sendPage(reply, '');
    } catch (error) {
      return sendFailure(reply, error);
    }
  }

  /** The provider sends the browser back here. */
  @Get('callback')
  async finish(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    try {
      const { principal, cookies } = await this.openId.finish(request);
      void reply.header('set-cookie', cookies);
      return sendPage(reply, renderContinuePage(principal));
    } catch (error) {
      return sendFailure(reply, error);
    }
  }
}

function sendFailure(reply: FastifyReply, error: unknown): string {
  if (!(error instanceof SignInFailed)) throw error;
  void reply.status(error.status);
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds);
  return sendPage(reply, renderFailurePage(error.message));
}
