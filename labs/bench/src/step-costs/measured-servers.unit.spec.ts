import { expect, it } from 'vitest';
import { parseCommandCalls, parseProcessorMicros } from './measured-servers.js';

it('parses the calls of each command of Redis', () => {
  const info =
    '# Commandstats\r\ncmdstat_evalsha:calls=12,usec=340,usec_per_call=28.33\r\ncmdstat_client|setname:calls=3,usec=9\r\n';
  expect(parseCommandCalls(info)).toEqual({ evalsha: 12, 'client|setname': 3 });
});

it('adds the processor times of Redis without those of its children and of its main thread, which is one of all', () => {
  const info =
    'used_cpu_sys:0.250000\r\nused_cpu_user:1.500000\r\nused_cpu_sys_children:7.0\r\nused_cpu_user_main_thread:1.4\r\n';
  expect(parseProcessorMicros(info)).toBe(1_750_000);
});
