import { Inject } from '@nestjs/common';

/** Tokens for what is an interface or a value; classes (EventStore, Queues, Metrics, Readiness) are their own tokens. */
const tokens = {
  config: Symbol('service config'),
  identity: Symbol('service identity'),
  logger: Symbol('logger'),
  pool: Symbol('database pool'),
  shutdownSignal: Symbol('shutdown signal'),
} as const;

export const serviceTokens = tokens;

/** The app's parsed config, of the type of its schema. */
export const InjectConfig = (): ParameterDecorator => Inject(tokens.config);
/** `ServiceIdentity`: names of the service and of this process. */
export const InjectIdentity = (): ParameterDecorator => Inject(tokens.identity);
/** A pino `Logger`. */
export const InjectLogger = (): ParameterDecorator => Inject(tokens.logger);
/** A `pg.Pool` on the service's database. */
export const InjectPool = (): ParameterDecorator => Inject(tokens.pool);
/** An `AbortSignal` that fires when the shutdown begins. */
export const InjectShutdownSignal = (): ParameterDecorator => Inject(tokens.shutdownSignal);
