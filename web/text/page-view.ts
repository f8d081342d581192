import { words } from './words.ts';

/** Words of the view of a page. */
export const pageView = words({
  view: 'Page',
  tools: 'Tools of the page',
  next: 'Next page',
  previous: 'Previous page',
  pageNumber: 'Page number',
  of: (pages: number) => `of ${pages}`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fitWidth: 'Fit width',
  fitPage: 'Fit page',
  rotate: 'Rotate',
  imageFailed: 'The picture of this page did not load.',
  picture: (page: number) => `Picture of page ${page}`,
  noPicture: 'This page has no picture.',
});
