// What tests have a page do, of JupyterLab or of the book.

const openChapter = async path => {
    const panel = await window.jupyterapp.commands.execute('docmanager:open', {path});
    await panel.context.ready;
    window.jupyterapp.shell.activateById(panel.id);
    return panel;
};

// Opens a chapter, runs all of it, or what the map needs and the map, and tells what then stands in its model.
const run = async ([path, whole]) => {
    const app = window.jupyterapp;
    const panel = await openChapter(path);
    await panel.sessionContext.ready;
    if (whole) await app.commands.execute('notebook:run-all-cells');
    const needed = panel.content.widgets.filter(cell => cell.model.sharedModel.source.includes('plot_map(')
        || (cell.model.getMetadata('tags') || []).includes('setup'));
    for (const cell of whole ? [] : needed) {
        panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
        await app.commands.execute('notebook:run-cell');
    }
    return panel.content.model.toJSON().cells.filter(cell => cell.cell_type === 'code').map(cell => ({
        source: [].concat(cell.source).join(''), tags: cell.metadata.tags || [], run: cell.execution_count,
        outputs: cell.outputs.length,
        errors: cell.outputs.filter(output => output.output_type === 'error').map(output => output.evalue),
    }));
};

const scrollToMap = async path => {
    const notebook = (await openChapter(path)).content;
    const place = notebook.widgets.findIndex(cell => cell.model.sharedModel.source.includes('plot_map('));
    notebook.activeCellIndex = place;
    await notebook.scrollToItem(place);
};

// Opens a chapter with all cells drawn, and tells which tables' lines break and which code runs off the page.
const tooWide = async path => {
    const panel = await openChapter(path);
    panel.content.notebookConfig = {...panel.content.notebookConfig, windowingMode: 'none'};
    const drawn = () => panel.node.querySelectorAll('.jp-CodeCell .cm-content').length;
    const code = panel.content.widgets.filter(cell => cell.model.type === 'code').length;
    for (let wait = 0; wait < 1200 && (drawn() < code || !panel.node.clientWidth); wait += 1) await new Promise(next => setTimeout(next, 50));
    await new Promise(next => requestAnimationFrame(() => requestAnimationFrame(next)));
    const broken = [...panel.node.querySelectorAll('.jp-OutputArea-output pre')].filter(shown => {
        const style = getComputedStyle(shown), lines = shown.textContent.replace(/\n$/, '').split('\n').length;
        const height = shown.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
        const table = /round trips +commands|bytes sent/.test(shown.textContent);
        return table && height > (lines + 0.5) * parseFloat(style.lineHeight);
    });
    const cut = [...panel.node.querySelectorAll('.jp-CodeCell .cm-scroller')]
        .filter(code => code.scrollWidth > code.clientWidth + 1);
    return {drawn: drawn(), code, width: panel.node.clientWidth, broken: broken.map(shown => shown.textContent),
            cut: cut.map(code => code.textContent)};
};

const close = async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    if (panel.context.model.dirty) await panel.context.save();
    await panel.sessionContext.shutdown();
    panel.dispose();
};

// What stands out at the right of the page, and pictures that did not come.
const wrong = () => {
    const page = document.documentElement;
    const wide = page.scrollWidth > page.clientWidth ? [`${page.scrollWidth} pixels wide of ${page.clientWidth}`] : [];
    const folded = picture => picture.closest('details:not([open])');
    const lost = [...document.images].filter(picture => !folded(picture) && !picture.naturalWidth).map(picture => picture.src);
    return [...wide, ...lost];
};
