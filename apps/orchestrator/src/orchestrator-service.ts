import multipart from '@fastify/multipart';
import type { ServiceDefinition } from '@phaseline/service';
import type { FastifyInstance } from 'fastify';
import { addFileParser } from './files/file-body.js';
import { addJsonParser } from './body/json-body-parser.js';
import { addFileSender } from './dashboard/dashboard-files.js';
import { openApiDocument } from './docs/open-api.js';
import { OpenApiHolder } from './docs/open-api-holder.js';
import { recordArrivals } from './jobs/arrivals.js';
import type { OrchestratorConfig } from './orchestrator-config.js';
import { BrowserSignIn } from './sign-in/browser-sign-in.js';
import { OrchestratorModule } from './orchestrator.module.js';

/** The orchestrator as a service. */
export const orchestratorService: ServiceDefinition<OrchestratorConfig> = {
  name: 'orchestrator',
  servesApi: true,
  module: () => OrchestratorModule,
  browserSessions: (app) => app.get(BrowserSignIn),
  configure: async (app) => {
    // Tell Nest that there is a parser, so that it does not add its own when the app starts.
    app.useBodyParser('application/json');
    // Nest's type of the adapter does not include the type of Fastify's instance.
    const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    recordArrivals(fastify);
    app.useBodyParser('application/octet-stream');
    addJsonParser(fastify);
    addFileParser(fastify);
    await addFileSender(fastify);
    // A file that is too large is read to its end, so that its sender receives the refusal.
    await app.register(multipart, { throwFileSizeLimit: false });
    app.get(OpenApiHolder).set(() => openApiDocument(app));
  },
};
