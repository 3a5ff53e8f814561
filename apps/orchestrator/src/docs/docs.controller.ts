import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import swaggerUi from 'swagger-ui-dist/package.json' with { type: 'json' };
import { Requires } from '../access/requires.js';
import { ApiProblem } from '../problem/api-problem.js';
import { OpenApiHolder } from './open-api-holder.js';

/** Files of the page. It works without a network, and no other file of the package is served. */
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Phaseline API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css?v=${swaggerUi.version}">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js?v=${swaggerUi.version}"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Without `validatorUrl: null` the page would send the document to a server of its authors. */
const START = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });\n`;

const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const packageFile = createRequire(import.meta.url);

@ApiExcludeController()
@Requires('any-caller')
@Controller()
export class DocsController {
  constructor(private readonly openApi: OpenApiHolder) {}

  @Get('openapi.json')
  document(): object {
    return this.openApi.document;
  }

  @Get('docs')
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
    });
    return PAGE;
  }

  @Get('docs/:asset')
  async asset(
    @Param('asset') asset: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const type =
      asset === 'start.js'
        ? 'text/javascript; charset=utf-8'
        : Object.hasOwn(assets, asset)
          ? assets[asset]
          : undefined;
    if (type === undefined)
      throw new ApiProblem('route_not_found', 'There is no such file. The documentation is at /docs.');
    void reply.headers({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
    });
    return asset === 'start.js' ? START : readFile(packageFile.resolve(`swagger-ui-dist/${asset}`));
  }
}
