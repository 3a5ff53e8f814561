import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { PROBLEM_MEDIA_TYPE, problemStatus } from '@phaseline/client';
import { InjectLogger } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { toApiProblem } from './to-api-problem.js';

/**
 * Turns every error into a response. Errors of the server are logged with their cause; a stack trace never leaves the
 * process.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@InjectLogger() private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const answer = toApiProblem(error, request.id);
    const status = problemStatus[answer.code];
    if (status >= 500)
      this.logger[answer.code === 'not_ready' ? 'warn' : 'error']({ error, requestId: request.id }, 'a request failed');
    // A stream that fails midway has already sent 200; Fastify closes its connection.
    if (reply.sent || reply.raw.headersSent) return;
    void reply.status(status).headers(answer.headers).type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(answer.body));
  }
}
