/**
 * A whole service for specs, without decorators, so that Node can run it from its source. It works on the queue `tools`: a call
 * named `hang…` never ends, whatever happens; `patient` ends when it is told to stop; `poison`
 * cannot be handled; others end at once. `/slow` answers
 * after 300 ms, `/stream` never ends, `/reject` leaves a rejected promise to nobody.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Queues } from '@phaseline/queue';
import type { FastifyInstance } from 'fastify';
import { bootstrapService, serviceConfig } from '../index.js';

class Worker implements OnApplicationBootstrap {
  constructor(private readonly queues: Queues) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queues.work('tools', async ({ callId }, { signal }) => {
      console.log(`handling ${callId}`);
      if (callId === 'poison') throw Object.assign(new Error('indigestible'), { code: 'POISON', retryable: false });
      if (callId.startsWith('hang')) await new Promise(() => {});
      if (callId === 'patient') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        console.log('told to stop');
        throw signal.reason;
      }
    });
  }
}

class ExampleModule {}
Module({ providers: [{ provide: Worker, useFactory: (queues: Queues) => new Worker(queues), inject: [Queues] }] })(
  ExampleModule,
);

await bootstrapService(serviceConfig(0, {}), {
  name: 'example',
  module: () => ExampleModule,
  queues: () => ({ tuning: { lockMs: 2_000, stalledCheckMs: 1_000 } }),
  configure: (app) => {
    const http = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    http.get('/slow', async () => {
      console.log('slow begins');
      await delay(300);
      return { slow: true };
    });
    http.get('/stream', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.raw.write('data: one\n\n');
    });
    http.get('/reject', () => {
      void Promise.reject(new Error('nobody handles this'));
      return {};
    });
  },
});
