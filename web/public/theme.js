// Runs before the first paint, so that no page flashes in the other theme.
document.documentElement.dataset.theme = localStorage.getItem('ink.theme') ?? 'system';
document.documentElement.dataset.density = localStorage.getItem('ink.density') ?? 'comfortable';
