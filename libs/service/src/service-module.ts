import { Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ServiceProblemFilter } from './http/service-problem-filter.js';

class ServiceModule {}
Module({})(ServiceModule);

/** Creates a global module that makes the service's resources injectable in every provider of the app. */
export function createServiceModule(values: ReadonlyMap<InjectionToken, unknown>): DynamicModule {
  const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }));
  // An app's own filter is registered after this one and therefore runs first.
  const filter = { provide: APP_FILTER, useClass: ServiceProblemFilter };
  return { module: ServiceModule, global: true, providers: [filter, ...providers], exports: [...values.keys()] };
}
