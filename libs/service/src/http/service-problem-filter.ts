import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PROBLEM_TYPE, problemBody } from './problem-body.js';

/** Answers errors of services that have no filter of their own: unknown routes, mostly. Says nothing of the inside. */
export class ServiceProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) return;
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const body =
      status === 404
        ? problemBody('route_not_found', 404, 'There is nothing at this path. Known are /health, /ready and /metrics.')
        : status < 500
          ? problemBody('invalid_request', status, 'The request cannot be understood.')
          : problemBody('internal', 500, 'Something went wrong on the server. Its log has the reason.');
    void reply.status(Number(body['status'])).type(PROBLEM_TYPE).send(JSON.stringify(body));
  }
}
Catch()(ServiceProblemFilter);
