import { Module } from '@nestjs/common';
import type { DynamicModule, InjectionToken } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ServiceProblemFilter } from './http/service-problem-filter.js';

class ServiceModule {}
Module({})(ServiceModule);

/** A global module that gives what the service lib opened to every provider of the app. */
export function serviceModule(values: ReadonlyMap<InjectionToken, unknown>): DynamicModule {
  const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }));
  // The filter of an app, where it has one, comes behind this one and goes first.
  const filter = { provide: APP_FILTER, useClass: ServiceProblemFilter };
  return { module: ServiceModule, global: true, providers: [filter, ...providers], exports: [...values.keys()] };
}
