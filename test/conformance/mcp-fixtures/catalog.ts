import { InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server';
import type { McpCatalog } from '#mcp/catalog.ts';
import type { McpTool } from '#mcp/tool.ts';
import { contentTools } from './content.ts';
import { fixture, text } from './fixture.ts';
import { askingTools, SealedRounds } from './input-required.ts';
import { prompts } from './prompts.ts';
import { pushingTools } from './pushed.ts';
import { resources } from './resources.ts';
import { fixtureSkills } from './skills.ts';
import { MemoryTasks, taskTools } from './tasks.ts';

/** Nothing of ours ever changes its lists: these say that it did. */
function changingTools(bus: ServerEventBus): readonly McpTool[] {
  return (['tool', 'prompt'] as const).map((kind) =>
    fixture(`test_trigger_${kind}_change`, { description: `Says that the ${kind}s changed.` }, () => {
      bus.publish({ kind: `${kind}s_list_changed` });
      return text('Published.');
    }),
  );
}

/** All that the official conformance scenarios expect of a server, registered through the product's own catalog. */
export async function fixtureCatalog(): Promise<McpCatalog> {
  const bus = new InMemoryServerEventBus();
  const tasks = new MemoryTasks();
  return {
    bus,
    tasks,
    tools: [
      ...contentTools,
      ...pushingTools,
      ...askingTools(new SealedRounds()),
      ...changingTools(bus),
      ...taskTools(tasks),
    ],
    parts: [resources, prompts, await fixtureSkills()],
    capabilities: {
      tools: { listChanged: true },
      logging: {},
      resources: { subscribe: true },
      prompts: {},
      completions: {},
    },
    instructions: 'For the conformance scenarios.',
  };
}
