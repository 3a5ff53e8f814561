import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Folder with the built pages, seen from `src/dashboard` and from `dist/dashboard`. */
const PAGES_FOLDER = fileURLToPath(new URL('../../../dashboard/dist/pages/', import.meta.url));

const ASSETS_FOLDER = join(PAGES_FOLDER, 'assets');

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Phaseline</title></head>
<body><main><h1>Phaseline</h1><p>The dashboard is not built. Run npm run compile in the folder of the sources. The API is described at <a href="/docs">/docs</a>.</p></main></body>
</html>
`;

/**
 * Adds `reply.sendFile`, which serves the compressed variant of a file that a browser accepts. It adds no route: the routes are those of
 * DashboardController, which the list of rights contains.
 */
export async function addFileSender(fastify: FastifyInstance): Promise<void> {
  await fastify.register(fastifyStatic, {
    root: ASSETS_FOLDER,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    // Without the folder, requests for its files are answered with 404.
    logLevel: 'silent',
  });
}

/** Reads the page that contains every screen, or one that says how to build it. */
export async function readPage(): Promise<string> {
  return readFile(join(PAGES_FOLDER, 'index.html'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return NOT_BUILT;
    throw error;
  });
}
