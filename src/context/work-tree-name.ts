/** The name of a linked work tree: `shop (bold-fox)`, unless its own name contains that of the repository. */
export function nameWorkTree(tree: string, repository: string): string {
  return tree.includes(repository) ? tree : `${repository} (${tree})`
}

/** The parts of such a name; of any other project only the name of its folder. */
export function partsOfName(project: string): { repository: string; tree: string } {
  const [, repository = '', tree = project] = /^(.+) \((.+)\)$/.exec(project) ?? []
  return { repository, tree }
}
