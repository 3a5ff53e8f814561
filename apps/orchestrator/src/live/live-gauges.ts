import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '@phaseline/service';
import { LiveHub } from './live-hub.js';

/** Gauge of the live channel. A browser has one connection for all of its tabs, so more than one per browser means that one was left open. */
@Injectable()
export class LiveGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly hub: LiveHub,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge(
      'phaseline_live_connections',
      'Open connections of the live channel to this process. A browser needs one for all of its tabs.',
      [],
      async () => [{ labels: {}, value: this.hub.size }],
    );
  }
}
