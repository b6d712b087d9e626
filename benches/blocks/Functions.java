import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.List;
import javax.tools.*;

/** Writes the functions of Java files, of more than one line: [path, first, last]. Reads paths, one on each line. */
public class Functions {
    public static void main(String[] arguments) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        for (String path : new BufferedReader(new InputStreamReader(System.in)).lines().toList()) {
            DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
            JavacTask task = (JavacTask) compiler.getTask(
                null, files, errors, List.of("-proc:none"), null, files.getJavaFileObjects(Path.of(path)));
            for (CompilationUnitTree unit : task.parse()) {
                new Finder(path, unit, Trees.instance(task)).scan(unit, null);
            }
        }
    }

    private static class Finder extends TreePathScanner<Void, Void> {
        private final String path;
        private final CompilationUnitTree unit;
        private final Trees trees;
        private final String source;

        Finder(String path, CompilationUnitTree unit, Trees trees) throws IOException {
            this.path = path;
            this.unit = unit;
            this.trees = trees;
            this.source = unit.getSourceFile().getCharContent(true).toString();
        }

        @Override
        public Void visitMethod(MethodTree method, Void none) {
            if (method.getBody() != null) {
                write(method);
            }
            return super.visitMethod(method, none);
        }

        @Override
        public Void visitLambdaExpression(LambdaExpressionTree lambda, Void none) {
            if (lambda.getBodyKind() == LambdaExpressionTree.BodyKind.STATEMENT) {
                write(lambda);
            }
            return super.visitLambdaExpression(lambda, none);
        }

        /** Returns where the documentation comment begins that ends directly before a position. */
        private long commentBefore(long start) {
            String before = source.substring(0, (int) Math.max(0, start)).stripTrailing();
            return before.endsWith("*/") && before.contains("/**") ? before.lastIndexOf("/**") : start;
        }

        private void write(Tree tree) {
            SourcePositions positions = trees.getSourcePositions();
            LineMap lines = unit.getLineMap();
            long start = commentBefore(positions.getStartPosition(unit, tree));
            long end = positions.getEndPosition(unit, tree);
            if (start < 0 || end < 0 || lines.getLineNumber(start) == lines.getLineNumber(end)) {
                return;
            }
            System.out.printf(
                "[\"%s\", %d, %d]%n", path, lines.getLineNumber(start), lines.getLineNumber(end - 1));
        }
    }
}
