import { chromium as driver, type CDPSession, type Page } from 'playwright-core';
import { chromium, findProgram } from '#scripts/check/programs.ts';
import type { Inkgraph } from '#scripts/bench/processes/inkgraph.ts';

/** A tab in which the operator is signed in, with its line to the debugger. */
export interface Tab {
  readonly page: Page;
  readonly line: CDPSession;
}

export interface Site extends AsyncDisposable {
  readonly api: string;
  open(): Promise<Tab>;
}

const size = { width: 1280, height: 800 };

/** The dashboard of a service in Chromium. Null: this machine has no Chromium. */
export async function openSite({ addresses, seed }: Inkgraph): Promise<Site | null> {
  const executablePath = findProgram(chromium);
  if (executablePath === null) return null;
  const browser = await driver.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce' });
  const first = await context.newPage();
  // The first start builds the dashboard, and its pages load themselves again until it is there.
  await first.goto(`${addresses.api}/sign-in`);
  await first.getByLabel('E-mail address').fill(seed.operatorEmail);
  await first.getByLabel('Password').fill(seed.operatorPassword);
  await first.keyboard.press('Enter');
  await first.getByRole('heading', { name: 'Overview' }).waitFor({ timeout: 120_000 });
  await first.close();
  return {
    api: addresses.api,
    async open() {
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      return { page, line: await context.newCDPSession(page) };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Goes to a path as a link of the dashboard does. */
export async function go({ page }: Tab, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** Bytes of the heap that are in use after full collections, and nodes of the document. */
export async function settledHeap({ line }: Tab): Promise<{ readonly bytes: number; readonly nodes: number }> {
  await line.send('HeapProfiler.enable');
  for (let turn = 0; turn < 3; turn += 1) await line.send('HeapProfiler.collectGarbage');
  const { usedSize } = await line.send('Runtime.getHeapUsage');
  const { nodes } = await line.send('Memory.getDOMCounters');
  return { bytes: usedSize, nodes };
}

/** Records how long frames and interactions take from now on; `told` returns them in milliseconds. */
export async function watchPace({ page }: Tab): Promise<{ told(): Promise<{ frames: number[]; waits: number[] }> }> {
  await page.evaluate(`(() => {
    const pace = (window.pace = { frames: [], waits: new Map() });
    let last = performance.now();
    const frame = (now) => { pace.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId > 0) pace.waits.set(interactionId, Math.max(duration, pace.waits.get(interactionId) ?? 0));
    }).observe({ type: 'event', durationThreshold: 16, buffered: false });
  })()`);
  return {
    told: () => page.evaluate('({ frames: window.pace.frames.slice(1), waits: [...window.pace.waits.values()] })'),
  };
}
