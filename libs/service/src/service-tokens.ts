import { Inject } from '@nestjs/common';

/** Injection tokens of interfaces and values. Classes (EventStore, Queues, Metrics, Readiness) are their own tokens. */
const tokens = {
  config: Symbol('service config'),
  identity: Symbol('service identity'),
  logger: Symbol('logger'),
  pool: Symbol('database pool'),
  shutdownSignal: Symbol('shutdown signal'),
} as const;

export const serviceTokens = tokens;

/** The app's parsed configuration; its type is the output of the app's schema. */
export const InjectConfig = (): ParameterDecorator => Inject(tokens.config);
/** The `ServiceIdentity`: name of the service and id of this process. */
export const InjectIdentity = (): ParameterDecorator => Inject(tokens.identity);
/** The pino `Logger` of the service. */
export const InjectLogger = (): ParameterDecorator => Inject(tokens.logger);
/** The `pg.Pool` of the service's database. */
export const InjectPool = (): ParameterDecorator => Inject(tokens.pool);
/** An `AbortSignal` that is aborted when the shutdown begins. */
export const InjectShutdownSignal = (): ParameterDecorator => Inject(tokens.shutdownSignal);
