import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Writes Nest's messages to the service's log. Warnings and errors keep their level; start-up messages are logged at `debug`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    if (message instanceof Error) this.logger.error({ context, error: message }, message.message);
    else this.logger.error({ context, stack }, String(message));
  }

  fatal(message: unknown, stack?: string, context?: string): void {
    this.error(message, stack, context);
  }
}
