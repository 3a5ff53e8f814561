import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblem } from '../problem/api-problem.js';
import { readPage } from './dashboard-files.js';
import { SCREENS } from './dashboard-paths.js';

/** Scripts, styles and pictures come from this server only, and no code is inline. Pages show pictures that they have read (`blob:`) as images. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'",
  "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The pages of the dashboard. They contain no data, so a browser gets them before it has a session; the pages then request what the
 * caller may see.
 */
@ApiExcludeController()
@Requires('anyone')
@Controller()
export class DashboardController {
  @Get(SCREENS)
  async page(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    // A new release has other names of files, so the page that names them is not stored.
    void reply.headers({ ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    return readPage();
  }

  @Get('assets/:file')
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    // Names contain the hash of the content. Compressed variants are served for the name of the file itself.
    if (!/^[\w-]+\.(?:js|css|svg)$/.test(file)) throw missing();
    try {
      await reply.headers({ ...HEADERS, 'cache-control': 'public, max-age=31536000, immutable' }).sendFile(file);
    } catch (error) {
      throw error instanceof Error && 'status' in error && error.status === 404 ? missing() : error;
    }
  }
}

function missing(): ApiProblem {
  return new ApiProblem('route_not_found', 'There is no such file. Load the page again: there may be a newer release.');
}
