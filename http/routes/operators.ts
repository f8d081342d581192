import { dashboardOperators } from '#src/contracts/dashboard/operators.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

/** Statistics, reviews, corrections, trash and saved views, in the order of the rows. */
export function mountDashboardOperators(bind: Bind): void {
  const rows = dashboardOperators;
  bind(rows.statistics, tools.getStatistics);
  bind(rows.reviews, tools.listReviews);
  bind(rows.correctOcr, tools.correctOcr);
  bind(rows.descriptions, tools.listDescriptions);
  bind(rows.correctDescription, tools.correctDescription);
  bind(rows.trashMany, tools.trashDocuments);
  bind(rows.restoreMany, tools.restoreDocuments);
  bind(rows.removeMany, tools.deleteDocuments);
  bind(rows.trashOne, tools.trashDocuments);
  bind(rows.restoreOne, tools.restoreDocuments);
  bind(rows.trash, tools.listTrash);
  bind(rows.views, tools.listViews);
  bind(rows.createView, tools.createView);
  bind(rows.changeView, tools.changeView);
  bind(rows.deleteView, tools.deleteView);
  bind(rows.preferences, tools.getPreferences);
  bind(rows.changePreferences, tools.changePreferences);
}
