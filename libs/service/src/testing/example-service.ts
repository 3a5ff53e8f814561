/**
 * A complete service for specs, without decorators, so that Node can run it from its source. It works on the queue `tools`: a call
 * named `hang…` never ends; `stoppable` ends when its signal is aborted; `poison` fails; `silent` makes no progress until `/go`; others end
 * immediately. `/slow` responds after 300 ms, `/stream` never ends, `/reject` leaves a rejected promise unhandled, `/block` blocks the
 * event loop for 400 ms.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Queues } from '@phaseline/queue';
import type { FastifyInstance } from 'fastify';
import { bootstrapService } from '../bootstrap-service.js';
import { Progress } from '../health/progress.js';
import { serviceConfig } from '../config/service-config.js';

const go = Promise.withResolvers<void>();

class Worker implements OnApplicationBootstrap {
  constructor(
    private readonly queues: Queues,
    private readonly progress: Progress,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queues.work('tools', async ({ callId }, { signal }) => {
      console.log(`handling ${callId}`);
      if (callId === 'poison')
        throw Object.assign(new Error('cannot be handled'), { code: 'POISON', retryable: false });
      if (callId === 'silent')
        await this.progress.run('the call silent', () => this.progress.runPart('waits', 300, () => go.promise));
      if (callId.startsWith('hang')) await new Promise(() => {});
      if (callId === 'stoppable') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        console.log('signal aborted');
        throw signal.reason;
      }
    });
  }
}

class ExampleModule {}
Module({
  providers: [
    {
      provide: Worker,
      useFactory: (queues: Queues, progress: Progress) => new Worker(queues, progress),
      inject: [Queues, Progress],
    },
  ],
})(ExampleModule);

await bootstrapService(serviceConfig(0, {}), {
  name: 'example',
  module: () => ExampleModule,
  queues: () => ({ tuning: { lockMs: 2_000, stalledCheckMs: 1_000 } }),
  configure: (app) => {
    const http = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    http.get('/slow', async () => {
      console.log('slow request started');
      await delay(300);
      return { slow: true };
    });
    http.get('/stream', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.raw.write('data: one\n\n');
    });
    http.get('/go', () => {
      go.resolve();
      return {};
    });
    http.get('/block', () => {
      for (const until = Date.now() + 400; Date.now() < until;);
      return {};
    });
    http.get('/reject', () => {
      void Promise.reject(new Error('unhandled rejection'));
      return {};
    });
  },
});
