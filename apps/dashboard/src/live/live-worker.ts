import { PhaselineClient } from '@phaseline/client';
import { LiveHub, type Tab, type TabMessage } from './live-hub.js';

// One worker for all tabs of the browser. TypeScript has no types for shared workers beside those of pages.
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void };

const client = new PhaselineClient({ baseUrl: location.origin });
const hub = new LiveHub((options) => client.live(options), Date.now);
setInterval(() => hub.expire(), 30_000);

scope.onconnect = ({ ports: [port] }) => {
  if (!port) return;
  const tab: Tab = { send: (message) => port.postMessage(message) };
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => hub.receive(tab, data);
};
