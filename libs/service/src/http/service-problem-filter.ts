import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PROBLEM_TYPE, createProblemBody } from './problem-body.js';

/** Exception filter of services without their own filter. Mostly handles unknown routes. Does not reveal internal errors. */
export class ServiceProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) return;
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const body =
      status === 404
        ? createProblemBody(
            'route_not_found',
            404,
            'This route does not exist. Available routes: /health, /ready and /metrics.',
          )
        : status < 500
          ? createProblemBody('invalid_request', status, 'The request is not valid.')
          : createProblemBody('internal', 500, 'The server failed to handle the request. Its log contains the reason.');
    void reply.status(Number(body['status'])).type(PROBLEM_TYPE).send(JSON.stringify(body));
  }
}
Catch()(ServiceProblemFilter);
