/**
 * What a CommonJS package exports. Bundled, all of it is the default export; tsx, which runs the sources, gives the package
 * none.
 */
export function exportsOf<Package extends object>(loaded: Package | { default: Package }): Package {
  return 'default' in loaded && loaded.default ? loaded.default : (loaded as Package)
}
