import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { LazyBrowser } from '#test/support/servers/browser.ts';

export type ToolResult = Awaited<ReturnType<Client['callTool']>>;

interface Host {
  readonly agent: Client;
  readonly browser: LazyBrowser;
}

/** A result in its view, shown by the official host in a frame that reaches nothing, as programs do. */
export async function showInHost(
  { agent, browser }: Host,
  toolName: string,
  result: ToolResult,
): Promise<{ page: Page; view: FrameLocator; errors: string[] }> {
  const { tools } = await agent.listTools();
  const uri = (tools.find(({ name }) => name === toolName)?._meta as any)?.ui.resourceUri as string;
  const [content] = (await agent.readResource({ uri })).contents;
  expect(content).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: (message) => page.evaluate((sent) => (globalThis as any).toView(sent), message as unknown as object),
  };
  await page.exposeFunction('toHost', (message: JSONRPCMessage) => transport.onmessage?.(message));
  await page.setContent('<iframe sandbox="allow-scripts" width="800" height="600"></iframe>');
  const bridge = new AppBridge(
    agent,
    { name: 'host', version: '1' },
    { serverTools: {} },
    {
      hostContext: { theme: 'dark' },
    },
  );
  const initialized = new Promise<void>((resolve) => {
    bridge.addEventListener('initialized', () => resolve());
  });
  await bridge.connect(transport);
  await page.evaluate(
    (html) => {
      const frame = (globalThis as any).document.querySelector('iframe');
      (globalThis as any).toView = (message: object) => frame.contentWindow.postMessage(message, '*');
      (globalThis as any).addEventListener('message', ({ data }: any) => (globalThis as any).toHost(data));
      // Hosts allow this to a page that asks for nothing. Source: SEP-1865.
      frame.srcdoc = html.replace(
        '<head>',
        `<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">`,
      );
    },
    (content as { text: string }).text,
  );
  await initialized;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
  return { page, view: page.frameLocator('iframe'), errors };
}
